import { type AdminCall, openAdminClient } from '#cli'
import { showS3Settings } from '../bucket-setting-api.ts'
import { lifecycleText } from './lifecycle-text-policy.ts'
import { accessText, corsText, quotaText, tagsText } from './setting-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  const settings = await client.call(showS3Settings, { params: { name: call.parameters.bucket } })
  const parts = [
    ['Access', accessText(settings.access)],
    ['CORS rules', corsText(settings.cors_rules)],
    ['Tags', tagsText(settings.tags)],
    ['Quota', quotaText(settings.quota)],
    ['Lifecycle rules', lifecycleText(settings.lifecycle_rules, settings)],
  ]
  call.out.result(settings, parts.map(([title, text]) => `${title}\n${text}`).join('\n\n'))
}
