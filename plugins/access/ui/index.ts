import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { AuditPage } from './audit-page.tsx'
import { SessionsPage } from './sessions-page.tsx'

export default definePluginUi({
  nav: [
    { to: '/sessions', label: 'Sessions', icon: 'log-in', order: 62, group: 'Service' },
    { to: '/audit', label: 'Audit log', icon: 'scroll-text', order: 64, group: 'Service' },
  ],
  commands: [
    {
      label: 'Second factor',
      keywords: 'totp 2fa code authenticator',
      icon: 'shield-check',
      to: '/sessions',
      changes: 'POST /auth/second-factor',
    },
  ],
  pages: [
    { path: '/sessions', title: 'Sessions', component: SessionsPage },
    { path: '/audit', title: 'Audit log', component: AuditPage },
  ],
})
