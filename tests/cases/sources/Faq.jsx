export function FaqHead({ faq }) {
  return (
    <script
      type="application/ld+json"
      dangerouslySetInnerHTML={{
        __html: `{
          "@context": "https://schema.org",
          "@type": "FAQPage",
          "mainEntity": [{
            "@type": "Question",
            "name": "${faq.question}",
            "acceptedAnswers": { "@type": "Answer", "text": "${faq.answer}" }
          }]
        }`,
      }}
    />
  )
}
