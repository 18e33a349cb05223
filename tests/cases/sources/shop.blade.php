@extends('layouts.app')
@section('head')
<script type="application/ld+json">
{
  "@@context": "https://schema.org",
  "@@type": "Store",
  "name": "{{ $shop->name }}",
  @isset($shop->phone)
  "telephone": "{{ $shop->phone }}",
  @endisset
  "address": @json($shop->address),
  "openingHour": "Mo-Fr 09:00-17:00"
}
</script>
@endsection
