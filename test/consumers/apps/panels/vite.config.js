import { svelte } from '@sveltejs/vite-plugin-svelte'
import react from '@vitejs/plugin-react'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import solid from 'vite-plugin-solid'

// React's and Solid's plugin both take .tsx files, so each panel is a build of its own: --mode react, and so is each
// copilot: --mode copilot/react
const plugins = { react, vue, svelte, solid, none: () => [] }

export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [plugins[mode.split('/').at(-1)]()],
  build: { outDir: `dist/${mode}`, rolldownOptions: { input: `${mode}.html` } },
}))
