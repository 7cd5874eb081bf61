import { component$ } from '@builder.io/qwik'
export const TaskFlowCard = component$(() => <p />)
