import react from '@vitejs/plugin-react'
import vue from '@vitejs/plugin-vue'
import { compile } from 'svelte/compiler'
import { defineConfig } from 'vite'

// Svelte's plugin takes newer versions only.
const svelte = () => ({
  name: 'svelte',
  transform: (code, filename) =>
    filename.endsWith('.svelte') ? compile(code, { filename, runes: true }).js : null,
})
const plugins = { react, vue, svelte }

export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [plugins[mode.split('/').at(-1)]()],
  build: { outDir: `dist/${mode}`, rolldownOptions: { input: `${mode}.html` } },
}))
