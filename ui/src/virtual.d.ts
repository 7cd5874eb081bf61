declare module 'virtual:svc-plugin-uis' {
  /** All plugins with a part in the dashboard, enabled or not. */
  export const pluginUis: readonly { readonly plugin: string; readonly ui: import('./plugin-ui.ts').PluginUi }[]
}
