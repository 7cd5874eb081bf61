import { defineEvent } from 'svc/kernel'

/** Announced after each greeting; the dashboard's event stream carries it. */
export const greeted = defineEvent<{ readonly message: string }>('hello.greeted')
