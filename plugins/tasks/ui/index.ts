import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { TaskFlowCard } from './task-flow-card.tsx'
import { TasksPage } from './tasks-page.tsx'
import { WorkersCard } from './workers-card.tsx'

export default definePluginUi({
  nav: [{ to: '/tasks', label: 'Tasks', icon: 'list-checks', order: 40, group: 'Operations', key: 't' }],
  pages: [{ path: '/tasks', title: 'Tasks', component: TasksPage }],
  commands: [{ label: 'Show failed tasks', keywords: 'errors attention', icon: 'circle-x', to: '/tasks?status=failed' }],
  search: async (text) => (await import('./find-task.ts')).findTask(text),
  cards: [
    { id: 'task-flow', order: 15, span: 4, component: TaskFlowCard },
    { id: 'workers', order: 40, span: 6, component: WorkersCard },
  ],
  eventTopics: { task_updated: ['GET /tasks', 'GET /tasks/stats'] },
})
