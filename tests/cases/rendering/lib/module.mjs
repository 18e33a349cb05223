export const add = (d) => { const s = document.createElement('script'); s.type = 'application/ld+json'; s.textContent = JSON.stringify(d); document.body.append(s); };
export const product = {"@context":"https://schema.org","@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"12.00","priceCurrency":"EUR"}};
