import { defineConfig } from 'vite'

// Takes what Angular's compiler has made of the sources.
export default defineConfig({
  base: './',
  build: { outDir: 'dist/angular', rolldownOptions: { input: 'angular.html' } },
})
