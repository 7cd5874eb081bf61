import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { BucketReplacementsTab } from './bucket-replacements-tab.tsx'
import { ReplacementPage } from './replacement-page.tsx'
import { ReplacementsBadge } from './replacements-badge.tsx'
import { ReplacementsPage } from './replacements-page.tsx'
import { ReplacePage } from './wizard/replace-page.tsx'

const lists = ['GET /storage-replacements', 'GET /storage-replacements/:id', 'GET /buckets/:name', 'GET /overview']

export default definePluginUi({
  nav: [{ to: '/replacements', label: 'Replacements', icon: 'replace', order: 40, group: 'Storage', badge: ReplacementsBadge }],
  pages: [
    { path: '/replacements', title: 'Replacements', component: ReplacementsPage },
    { path: '/replacements/:id', title: 'Replacement', component: ReplacementPage },
    { path: '/buckets/:name/replace/:id', title: 'Replace a provider', component: ReplacePage },
  ],
  bucketTabs: [{ id: 'replacements', label: 'Replacements', order: 45, component: BucketReplacementsTab }],
  eventTopics: { storage_replacement_updated: lists },
})
