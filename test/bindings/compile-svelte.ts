import { compile } from 'svelte/compiler'
import type { Plugin } from 'vite'

/** Components of Svelte, for a page or for a server. */
export function compileSvelte(generate: 'client' | 'server'): Plugin {
  return {
    name: 'offstage:svelte',
    transform(code, filename) {
      if (!filename.endsWith('.svelte')) return null
      const { js } = compile(code, { filename, generate, dev: generate === 'client', runes: true })
      return { code: js.code, map: null }
    },
  }
}
