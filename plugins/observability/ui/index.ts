import { definePluginUi } from '@svc/ui-kit'
import { RequestsCard } from './requests-card.tsx'

export default definePluginUi({
  cards: [{ id: 's3-requests', order: 21, span: 4, component: RequestsCard }],
})
