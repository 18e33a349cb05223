<?php
$schema = array(
    '@context' => 'https://schema.org',
    '@type'    => 'Product',
    'name'     => get_the_title(),
    'offers'   => array(
        '@type'         => 'Offer',
        'price'         => $product->get_price(),
        'priceCurrency' => get_woocommerce_currency(),
        'avaliability'  => 'https://schema.org/InStock',
    ),
);
if ( has_post_thumbnail() ) {
    $schema['image'] = get_the_post_thumbnail_url();
}
?>
<script type="application/ld+json"><?php echo wp_json_encode( $schema, JSON_UNESCAPED_SLASHES ); ?></script>
<h1 itemprop="name"><?php the_title(); ?></h1>
