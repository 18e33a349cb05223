export function head() {
  const schema = { '@context': 'https://schema.org', '@type': 'Recipe' };
  if (schema) { ▮ }
}
