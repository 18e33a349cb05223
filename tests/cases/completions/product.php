<?php
// The shop's own.
$schema = array(
  '@context' => 'https://schema.org',
  '@type' => 'Product',
  'offers' => array( '@type' => 'Offer', 'pri▮' ),
);
?>
<p>It's here</p>
