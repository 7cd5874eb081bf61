import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { UsersPage } from './users/users-page.tsx'

export default definePluginUi({
  nav: [{ to: '/s3-users', label: 'S3 users', icon: 'users', order: 60, group: 'Service', key: 'u' }],
  pages: [{ path: '/s3-users', title: 'S3 users', component: UsersPage }],
  commands: [
    {
      label: 'Create an S3 user',
      keywords: 'access key secret credentials',
      icon: 'user-plus',
      to: '/s3-users?create=1',
      changes: 'POST /s3-users',
    },
  ],
  search: async (text) => (await import('./users/find-users.ts')).findUsers(text),
})
