import { clock, database, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { costPolicy } from '#plugins/wallet'
import { repairSection } from '../settings.ts'
import { dayOf } from './decide-policy.ts'
import { listRepairs, type RepairList, repairPageSizes } from './repair-api.ts'
import { type Decision, feesSince, listDecisions } from './repair-store.ts'

export const repairRoutes = defineRoutes({
  name: 'storage-repairs',
  uses: { clock, database, settings: repairSection.settings },
  endpoints: [listRepairs],
  register(app, { clock, database, settings }) {
    serveEndpoint(app, listRepairs, async ({ query: { before = Number.MAX_SAFE_INTEGER, limit = repairPageSizes.usual } }) => {
      const found = await listDecisions(database.read, { before, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const ceiling = (await costPolicy()).parseUsdfc(settings.daily_spend_limit)
      return {
        auto: settings.auto,
        spent_today: String(await feesSince(database.read, dayOf(clock.now()))),
        daily_spend_limit: ceiling.isValid ? String(ceiling.baseUnits) : null,
        repairs: page.map(describe),
        ...(found.length > limit && last ? { next: last.id } : {}),
      }
    })
  },
})

function describe({
  atMs,
  sinceMs,
  providerId,
  bucketId,
  bucketName,
  dataSetId,
  slot,
  replacementId,
  fee,
  lost,
  ...decision
}: Decision): RepairList['repairs'][number] {
  return {
    ...decision,
    at: formatTime(atMs),
    since: formatTime(sinceMs),
    provider_id: providerId,
    bucket_id: bucketId,
    bucket: bucketName,
    data_set_id: dataSetId,
    copy_index: slot,
    ...(replacementId === null ? {} : { replacement_id: replacementId }),
    ...(fee === null ? {} : { fee: String(fee) }),
    ...(lost === null ? {} : { lost: { ...lost, bytes: String(lost.bytes) } }),
  }
}
