import '@builder.io/qwik/qwikloader.js'
import { render } from '@builder.io/qwik'
import { installKitListeners } from '../../kit/listeners/install.ts'
import '../../styles/index.css'
import { KitPage } from './kit-page.tsx'

installKitListeners()
const root = document.getElementById('app')
if (root) await render(root, <KitPage />)
