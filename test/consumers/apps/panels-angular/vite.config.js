import { defineConfig } from 'vite'

// Takes what Angular's compiler has made of the sources.
export default defineConfig(({ mode }) => ({
  base: './',
  build: { outDir: `dist/${mode}`, rolldownOptions: { input: `${mode}.html` } },
}))
