const ld=(d)=>{const s=document.createElement('script');s.type='application/ld+json';s.text=JSON.stringify(d);document.head.append(s)};
const PRODUCT={"@context":"https://schema.org","@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"12.00","priceCurrency":"EUR"}};
