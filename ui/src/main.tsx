import '@builder.io/qwik/qwikloader.js'
import { pluginUis } from 'virtual:svc-plugin-uis'
import { render } from '@builder.io/qwik'
import { App } from './app.tsx'
import { connectTopics } from './data/events.ts'
import { startSession, watchSession } from './data/session.ts'
import { installKitListeners } from './kit/listeners/install.ts'
import { startRouter } from './router/location.ts'
import { startPalette } from './shell/palette.ts'
import { startShortcuts } from './shell/shortcuts.ts'
import { followTheme } from './shell/theme.ts'
import { guardTransfers } from './shell/transfers.ts'
import './styles/index.css'

startRouter()
startPalette()
startShortcuts()
installKitListeners()
followTheme()
guardTransfers()
watchSession()
for (const { ui } of pluginUis) connectTopics(ui.eventTopics ?? {})
const root = document.getElementById('app')
if (!root) throw new Error('The page has no element with the id app.')
await Promise.all([startSession(), render(root, <App />)])
