import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { describeWith } from './support/programs.ts'
import { type Prometheus, startPrometheus } from './support/prometheus.ts'
import { startUnleash, type Unleash } from './support/unleash.ts'

describeWith('postgres', 'unleash')('a real Unleash', () => {
  let postgres: Postgres
  let unleash: Unleash
  beforeAll(async () => {
    postgres = await startPostgres()
    unleash = await startUnleash(postgres.url)
  })
  afterAll(async () => {
    await unleash?.close()
    await postgres?.close()
  })

  test('gives clients what its operators declare, also after both processes were killed', async () => {
    await unleash.admin.createFlag('stowage.first')
    await unleash.admin.setStrategy('stowage.first', {
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['acme'] }],
    })
    await unleash.admin.turn('stowage.first', 'on')
    await unleash.kill()
    await postgres.kill()
    await postgres.start()
    await unleash.start()
    expect(await unleash.admin.clientFeatures(unleash.token)).toMatchObject({
      features: [{ name: 'stowage.first', enabled: true, strategies: [{ constraints: [{ values: ['acme'] }] }] }],
    })
  })
})

describeWith('prometheus')('a real Prometheus', () => {
  let prometheus: Prometheus
  beforeAll(async () => {
    prometheus = await startPrometheus('global: { scrape_interval: 1s }')
  })
  afterAll(() => prometheus?.close())

  test('answers expressions, and says what is wrong with a malformed one', async () => {
    expect(await prometheus.query('vector(1)')).toMatchObject([{ value: [expect.any(Number), '1'] }])
    await expect(prometheus.query('sum(')).rejects.toThrow(/parse error/u)
  })
})
