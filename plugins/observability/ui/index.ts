import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { HistoryCard } from './history-card.tsx'

export default definePluginUi({
  cards: [{ id: 'history', order: 14, span: 12, component: HistoryCard }],
})
