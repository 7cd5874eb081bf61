import { type AdminCall, formatFacts, formatSize, openAdminClient } from '#cli'
import { changeQuota, type ShownQuota, showS3Settings } from '../administration/bucket-setting-api.ts'
import { type QuotaFlags, readQuota } from './read-quota-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, QuotaFlags>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const body = readQuota(call.flags)
  const client = await openAdminClient(call)
  const quota =
    Object.keys(body).length > 0 ? await client.call(changeQuota, { params, body }) : (await client.call(showS3Settings, { params })).quota
  call.out.result(quota, quotaText(quota))
}

const quotaText = ({ objects, bytes, usage }: ShownQuota): string =>
  formatFacts([
    ['Object versions', `${usage.objects}, ${objects === null ? 'no limit' : `limit ${objects}`}`],
    ['Size', `${formatSize(usage.bytes)}, ${bytes === null ? 'no limit' : `limit ${formatSize(bytes)}`}`],
  ])
