// Narrows a table to the rows that hold every word typed and every choice made, and says how many are left.
for (const form of document.querySelectorAll("form.filter[data-table]")) {
  const table = document.getElementById(form.dataset.table);
  const rows = [...table.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const output = form.querySelector("output");
  const narrow = () => {
    const words = (form.elements.words?.value || "").toLowerCase().split(/\s+/).filter(Boolean);
    const choices = [...form.querySelectorAll("select")].filter((select) => select.value);
    let left = 0;
    rows.forEach((row, n) => {
      const fits = words.every((word) => texts[n].includes(word))
        && choices.every((select) => (row.dataset[select.name] || "").split(" ").includes(select.value));
      row.hidden = !fits;
      left += fits;
    });
    output.textContent = left === rows.length ? `${left} in all` : `${left} of ${rows.length}`;
  };
  form.addEventListener("input", narrow);
  form.addEventListener("submit", (event) => event.preventDefault());
  narrow();
}
