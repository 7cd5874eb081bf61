import { database, defineRoutes, serveEndpoint, taskQueue } from '#kernel'
import { type HealthRow, toPage } from '../health/health-policy.ts'
import { describeSpeedTest } from '../speed-tests/describe-speed-test-policy.ts'
import { hasOpenTest, listSpeedTests, type SpeedTest } from '../speed-tests/speed-test-store.ts'
import { describeProvider, isWanted } from './describe-provider-policy.ts'
import { listProviders, type ProviderHealth, type ProviderPage, refreshProviders } from './provider-api.ts'
import { type JudgedProvider, providerHealth } from './provider-health.ts'

export const providerRoutes = defineRoutes({
  name: 'provider-health',
  uses: { providerHealth, database, taskQueue },
  endpoints: [listProviders, refreshProviders],
  register(app, { providerHealth, database, taskQueue }) {
    async function readPage(query: typeof listProviders.query.infer): Promise<ProviderPage> {
      const [{ judged, time, readAtMs }, tests, isTesting] = await Promise.all([
        providerHealth.read(),
        listSpeedTests(database.read),
        hasOpenTest(taskQueue, database.read),
      ])
      const rows = judged.filter((one) => isWanted(one, query)).map((one) => toRow(one, tests.get(one.provider.providerId), isTesting))
      return toPage(rows, query, { ...time, emptyCheckedAtMs: readAtMs })
    }

    serveEndpoint(app, listProviders, ({ query }) => readPage(query))

    serveEndpoint(app, refreshProviders, async ({ query }) => {
      await providerHealth.refresh()
      return readPage(query)
    })
  },
})

const toRow = (judged: JudgedProvider, test: SpeedTest | undefined, isTesting: boolean): HealthRow<ProviderHealth> => ({
  observation: judged.observation,
  show: (signal) => ({
    ...describeProvider(judged),
    signal,
    ...(test === undefined ? {} : { upload_speed_test: describeSpeedTest(test, { serviceUrl: judged.provider.serviceUrl, isTesting }) }),
  }),
})
