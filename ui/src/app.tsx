import { component$ } from '@builder.io/qwik'

export const App = component$(() => <h1>svc</h1>)
