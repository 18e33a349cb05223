import type { Product, WithContext } from 'schema-dts'

export default async function Page({ params }: { params: { id: string } }) {
  const product = await getProduct(params.id)

  const jsonLd: WithContext<Product> = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: product.name,
    image: product.image,
    description: product.description ?? 'A kettle',
    aggregateRating: { '@type': 'AggregateRating', ratingValue: '4,4', reviewCount: 89, bestRating: product.best },
  }

  return (
    <section>
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: JSON.stringify(jsonLd).replace(/</g, '\\u003c') }} />
    </section>
  )
}
