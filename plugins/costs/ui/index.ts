import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { VersionCostCard } from './version/version-cost-card.tsx'

export default definePluginUi({
  versionCards: [{ id: 'cost', order: 10, component: VersionCostCard }],
})
