export const PLAIN_STYLE_PATH = '/docs/plain.css';

export const PLAIN_STYLE = `:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0; }
p { margin: 0.3rem 0; }
section:target { outline: 0.2rem solid light-dark(#0969da, #58a6ff); outline-offset: 0.6rem; }
`;

/** An HTML page of text, without scripts. `main`: HTML. */
export const plainPage = (title: string, main: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${PLAIN_STYLE_PATH}">
  </head>
  <body>
    <main>
      ${main}
    </main>
  </body>
</html>
`;

/** A text for HTML. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
