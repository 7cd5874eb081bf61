import { call, type definePluginUi } from '@svc/ui-kit'
import { filterUsers } from './user-policy.ts'

type Found = Awaited<ReturnType<NonNullable<Parameters<typeof definePluginUi>[0]['search']>>>

const [lettersMin, foundMax] = [3, 5]

/** S3 users for the command palette; a shorter text would find most of them. */
export async function findUsers(text: string): Promise<Found> {
  if (text.trim().length < lettersMin) return []
  const found = filterUsers(await call('GET /s3-users'), text).slice(0, foundMax)
  return found.map(({ access_key, role }) => ({ label: `S3 user ${access_key} (${role})`, icon: 'users', to: '/s3-users' }) as const)
}
