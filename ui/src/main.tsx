import '@builder.io/qwik/qwikloader.js'
import { render } from '@builder.io/qwik'
import { App } from './app.tsx'
import './styles/index.css'

const root = document.getElementById('app')
if (root) await render(root, <App />)
