import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { BucketPacksTab } from './bucket-packs-tab.tsx'

export default definePluginUi({
  bucketTabs: [{ id: 'packs', label: 'Packs', order: 40, component: BucketPacksTab }],
})
