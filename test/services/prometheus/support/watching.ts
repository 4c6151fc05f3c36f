import { parse, stringify } from 'yaml'
import { pathOf, readGrafana } from '../../../grafana/support/files.ts'
import { startPrometheus } from '../../support/prometheus.ts'
import type { WatchedStowage } from './traffic.ts'

interface Config {
  global: object
  rule_files: string[]
  scrape_configs: object[]
}

/** Prometheus with the committed configuration and rules, but scraping every second, from this stowage and with the key of its operator. */
export function startWatching({ url, operatorKey }: WatchedStowage) {
  const config = parse(readGrafana('prometheus.yml')) as Config
  return startPrometheus(
    stringify({
      ...config,
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: config.rule_files.map(pathOf),
      scrape_configs: config.scrape_configs.map(scraped => ({
        ...scraped,
        static_configs: [{ targets: [new URL(url).host] }],
        authorization: { credentials: operatorKey },
      })),
    }),
  )
}
