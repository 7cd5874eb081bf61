import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { ReadinessBanner } from './readiness/readiness-banner.tsx'
import { ReadinessPage } from './readiness/readiness-page.tsx'

export default definePluginUi({
  nav: [{ to: '/wallet', label: 'Wallet', icon: 'wallet', order: 50, group: 'Service', key: 'w' }],
  pages: [{ path: '/wallet', title: 'Wallet', component: ReadinessPage }],
  commands: [{ label: 'Readiness checks', keywords: 'wallet chain balance approval deposit', icon: 'heart-pulse', to: '/wallet' }],
  banners: [{ id: 'readiness', order: 10, component: ReadinessBanner }],
})
