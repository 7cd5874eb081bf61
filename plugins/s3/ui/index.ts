import { call, definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { filterUsers } from './users/user-policy.ts'
import { UsersPage } from './users/users-page.tsx'

const [lettersMin, foundMax] = [3, 5]

export default definePluginUi({
  nav: [{ to: '/s3-users', label: 'S3 users', icon: 'users', order: 60, group: 'Service', key: 'u' }],
  pages: [{ path: '/s3-users', title: 'S3 users', component: UsersPage }],
  commands: [{ label: 'Create an S3 user', keywords: 'access key secret credentials', icon: 'user-plus', to: '/s3-users?create=1' }],
  async search(text) {
    if (text.trim().length < lettersMin) return []
    const found = filterUsers(await call('GET /s3-users'), text).slice(0, foundMax)
    return found.map(({ access_key, role }) => ({ label: `S3 user ${access_key} (${role})`, icon: 'users', to: '/s3-users' }) as const)
  },
})
