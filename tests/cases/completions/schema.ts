export const jsonLd = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: product.name,
  // An offer doesn't need its type.
  offers: { price: product.price, ▮ },
};
