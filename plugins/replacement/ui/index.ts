import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { BucketReplacementsTab } from './bucket-replacements-tab.tsx'
import { RepairsPage } from './repairs/repairs-page.tsx'
import { ReplacementPage } from './replacement-page.tsx'
import { ReplacementsBadge } from './replacements-badge.tsx'
import { ReplacementsPage } from './replacements-page.tsx'
import { WhatIfAction } from './what-if/what-if-action.tsx'
import { WhatIfPage } from './what-if/what-if-page.tsx'
import { ReplacePage } from './wizard/replace-page.tsx'

const lists = ['GET /storage-replacements', 'GET /storage-repairs', 'GET /storage-replacements/:id', 'GET /buckets/:name', 'GET /overview']

export default definePluginUi({
  nav: [
    { to: '/replacements', label: 'Replacements', icon: 'replace', order: 40, group: 'Storage', badge: ReplacementsBadge },
    { to: '/repairs', label: 'Repairs', icon: 'heart-pulse', order: 42, group: 'Storage' },
  ],
  pages: [
    { path: '/replacements', title: 'Replacements', component: ReplacementsPage },
    { path: '/replacements/:id', title: 'Replacement', component: ReplacementPage },
    { path: '/repairs', title: 'Repairs', component: RepairsPage },
    { path: '/providers/:id/what-if', title: 'What if a provider fails', component: WhatIfPage },
    { path: '/buckets/:name/replace/:id', title: 'Replace a provider', component: ReplacePage },
  ],
  providerActions: [{ id: 'what-if', order: 20, component: WhatIfAction }],
  bucketTabs: [{ id: 'replacements', label: 'Replacements', order: 45, component: BucketReplacementsTab }],
  eventTopics: { storage_replacement_updated: lists },
})
