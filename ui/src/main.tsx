import '@builder.io/qwik/qwikloader.js'
import { render } from '@builder.io/qwik'
import { App } from './app.tsx'
import { installKitListeners } from './kit/listeners/install.ts'
import './styles/index.css'

installKitListeners()
const root = document.getElementById('app')
if (root) await render(root, <App />)
