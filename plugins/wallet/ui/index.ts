import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { WalletPage } from './account/wallet-page.tsx'
import { ReadinessBanner } from './readiness/readiness-banner.tsx'
import { ReadinessPage } from './readiness/readiness-page.tsx'

export default definePluginUi({
  nav: [{ to: '/wallet', label: 'Wallet', icon: 'wallet', order: 50, group: 'Service', key: 'w' }],
  pages: [
    { path: '/wallet', title: 'Wallet', component: WalletPage },
    { path: '/wallet/readiness', title: 'Readiness', component: ReadinessPage },
  ],
  commands: [
    { label: 'Fund the wallet', keywords: 'deposit pay usdfc top up', icon: 'coins', to: '/wallet?do=fund', changes: 'POST /wallet/fund' },
    {
      label: 'Withdraw from the deposit',
      keywords: 'wallet usdfc',
      icon: 'wallet',
      to: '/wallet?do=withdraw',
      changes: 'POST /wallet/withdraw',
    },
    {
      label: 'Approve the storage service',
      keywords: 'wallet allowance',
      icon: 'shield-check',
      to: '/wallet?do=approve',
      changes: 'POST /wallet/approve',
    },
    { label: 'Readiness checks', keywords: 'wallet chain balance approval deposit', icon: 'heart-pulse', to: '/wallet/readiness' },
  ],
  banners: [{ id: 'readiness', order: 10, component: ReadinessBanner }],
  eventTopics: { wallet_operation_updated: ['GET /wallet', 'GET /wallet/operations', 'GET /chain/readiness'] },
})
