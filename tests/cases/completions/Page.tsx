export default function Page({ product }: { product: Product }) {
  const schema: WithContext<Product> = { '@context': 'https://schema.org', '@type': 'Product',
    image: images.map((each) => ({ '@type': 'Image▮' })),
  };
  return <p>Don't panic: <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: JSON.stringify(schema) }} /></p>;
}
