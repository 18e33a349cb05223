<%@ page contentType="text/html;charset=UTF-8" %>
<%@ taglib prefix="c" uri="http://java.sun.com/jsp/jstl/core" %>
<script type="application/ld+json">
{
  "@context": "https://schema.org",
  "@type": "Book",
  "name": "${book.title}",
  "isbn": "<%= book.getIsbn() %>",
  "numberOfPages": ${book.pages},
  "bookFormat": "https://schema.org/PaperBack"
}
</script>
