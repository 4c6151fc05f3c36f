import { deflateSync } from 'node:zlib'

/** A PDF with a paragraph and a footer on each page. */
export function longPdf(pages: number): Buffer {
  const objects: string[] = ['<< /Type /Catalog /Pages 2 0 R >>']
  const kids = Array.from({ length: pages }, (_, page) => `${4 + 2 * page} 0 R`).join(' ')
  objects.push(`<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`)
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (let page = 1; page <= pages; page += 1) {
    const lines = Array.from({ length: 12 }, (_, at) => `(The gauge was read at hour ${at} of the day ${page}.) Tj T*`)
    lines.splice(6, 0, `(Reading ${page} was taken.) Tj T*`)
    const footer = `BT /F1 9 Tf 60 30 Td (Harbour book, page ${page}) Tj ET`
    const stream = `BT /F1 11 Tf 14 TL 60 760 Td ${lines.join(' ')} ET ${footer}`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${2 * page + 3} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    )
  }
  let file = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = file.length
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const rows = places.map(place => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}${end}`)
}

/** A PDF with one page, whose content is deflated. */
export function packedPdf(content: Buffer): Buffer {
  const packed = deflateSync(content)
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
  const start = [
    '%PDF-1.4',
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    '2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R] >> endobj',
    `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 ${font} >> >> >> endobj`,
    `4 0 obj << /Length ${packed.length} /Filter /FlateDecode >>`,
    'stream\n',
  ].join('\n')
  const end = '\nendstream endobj\ntrailer << /Size 5 /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([Buffer.from(start), packed, Buffer.from(end)])
}

/**
 * A ZIP file with one entry.
 * @param packed its deflated content
 * @param size the unpacked size that the file states
 */
export function zipWith(name: string, packed: Buffer, size: number): Buffer {
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(size, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
  const directory = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, Buffer.alloc(14), Buffer.from(name)])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, directory, end])
}
