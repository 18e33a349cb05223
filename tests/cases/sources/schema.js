import { useSchemaOrg } from '@unhead/schema-org'

useSchemaOrg([
  {
    '@type': 'LocalBusiness',
    name: site.name,
    adress: { '@type': 'PostalAddress', streetAddress: site.street, addressCountry: 'DE' },
  },
])
