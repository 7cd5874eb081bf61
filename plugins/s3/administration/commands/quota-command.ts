import { type AdminCall, openAdminClient } from '#cli'
import { changeQuota, showS3Settings } from '../bucket-setting-api.ts'
import { type QuotaFlags, readQuota } from './read-quota-policy.ts'
import { quotaText } from './setting-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, QuotaFlags>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const body = readQuota(call.flags)
  const client = await openAdminClient(call)
  const isChange = Object.keys(body).length > 0
  const quota = isChange ? await client.call(changeQuota, { params, body }) : (await client.call(showS3Settings, { params })).quota
  call.out.result(quota, quotaText(quota))
}
