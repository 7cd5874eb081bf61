import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { AuditPage } from './audit-page.tsx'
import { SessionsPage } from './sessions-page.tsx'

export default definePluginUi({
  nav: [
    { to: '/sessions', label: 'Sessions', icon: 'log-in', order: 62, group: 'Service' },
    { to: '/audit', label: 'Audit log', icon: 'scroll-text', order: 64, group: 'Service', key: 'a' },
  ],
  pages: [
    { path: '/sessions', title: 'Sessions', component: SessionsPage },
    { path: '/audit', title: 'Audit log', component: AuditPage },
  ],
  commands: [
    {
      label: 'Show refused sign-ins',
      keywords: 'audit password wrong attack',
      icon: 'shield-alert',
      to: '/audit?what=sign_in&outcome=refused',
    },
    { label: 'End a session', keywords: 'sign out others who is signed in', icon: 'log-out', to: '/sessions' },
  ],
})
