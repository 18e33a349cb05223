import type { BreadcrumbList, WithContext } from 'schema-dts'

export const breadcrumbs = (steps: { name: string; url: string }[]) =>
  ({
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, index) => ({
      '@type': 'ListItem',
      positon: index + 1,
      name: step.name,
      item: step.url,
    })),
  }) satisfies WithContext<BreadcrumbList>
