<h1>{{ $name }}</h1>
@php
$schema = ['@context' => 'https://schema.org', '@type' => ['Product', '▮']];
@endphp
