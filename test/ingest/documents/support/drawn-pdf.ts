/** A PDF of one page with these drawing commands; its font is `/F1`. */
export function drawnPdf(content: string, producer: string): Uint8Array {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Producer (${producer}) >>`,
  ]
  let text = '%PDF-1.7\n'
  const offsets: number[] = []
  for (const [at, object] of objects.entries()) {
    offsets.push(text.length)
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const table = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${text.length}\n%%EOF`,
  )
}
