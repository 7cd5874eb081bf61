import { type AdminCall, openAdminClient, requireConfirmation } from '#cli'
import { changeAccess, showS3Settings } from '../bucket-setting-api.ts'
import { type AccessFlags, openingFlags, readAccessChange } from './access-change-policy.ts'
import { accessText } from './setting-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, AccessFlags & { yes: boolean }>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const body = readAccessChange(call.flags)
  const opening = openingFlags(call.flags)
  if (opening.length > 0) requireConfirmation(call.flags.yes, `${opening.join(' ')}, which can give others access to ${params.name},`)
  const client = await openAdminClient(call)
  if (Object.keys(body).length === 0) {
    const { access } = await client.call(showS3Settings, { params })
    return call.out.result(access, accessText(access)) as undefined
  }
  const changed = await client.call(changeAccess, { params, body })
  call.out.result(changed, `Access changed\n${accessText(changed)}`)
}
