import { inflateRawSync } from 'node:zlib'
import type {
  CandidatesPart,
  ContextsPart,
  PointsPart,
  ReportData,
} from '../../../../../src/evaluation/report/html/report-data.ts'

/** Reads the data of a report as its page does. */
export function readReport(html: string) {
  const text = (id: string) =>
    new RegExp(`<script type="text/plain" id="data-${id}">([^<]*)</script>`, 'u').exec(html)?.[1] ?? ''
  const parts = text('parts').split('\n')
  return {
    data: decoded<ReportData>(text('main')),
    points: decoded<PointsPart>(text('points')),
    contexts: (part: number) => decoded<ContextsPart>(parts[part] ?? ''),
    candidates: (part: number) => decoded<CandidatesPart>(parts[part] ?? ''),
  }
}

function decoded<Value>(text: string): Value {
  return JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString('utf8'))
}
