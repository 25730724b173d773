export const PLAIN_STYLE_PATH = '/docs/plain.css';
/** The icon of every page. */
export const LOGO_PATH = '/logo.svg';

export const PLAIN_STYLE = `:root {
  color-scheme: light dark;
  --line: light-dark(#d5dbdd, #384248);
  --quiet: light-dark(#55626a, #a3b0b6);
  --main: light-dark(#0b6e5b, #35b898);
}
body {
  font: 1rem/1.5 system-ui, sans-serif;
  margin: 3rem auto;
  max-width: 46rem;
  padding: 0 1rem;
  background: light-dark(#f6f7f7, #14181a);
  color: light-dark(#1b2326, #e6ebec);
}
h1 { font-size: 1.6rem; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 0; overflow-wrap: anywhere; }
p { margin: 0.3rem 0; }
a { color: var(--main); }
code { overflow-wrap: anywhere; }
section:target { outline: 0.2rem solid var(--main); outline-offset: 0.6rem; }
header { display: flex; align-items: center; gap: 0.75rem; margin-bottom: 1rem; }
header h1 { margin: 0; }
header span { padding: 0.05rem 0.6rem; border-radius: 1rem; font-size: 0.9rem; }
.sandbox { background: light-dark(#fcefd6, #43310f); color: light-dark(#7a4a00, #f0b95c); }
.live { background: light-dark(#dff3e6, #153a27); color: light-dark(#0b6b3a, #5fd394); }
.links {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
  gap: 0.75rem;
  margin: 1.5rem 0 0;
  padding: 0;
  list-style: none;
}
.links li {
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.4rem;
  background: light-dark(#ffffff, #1d2326);
  color: var(--quiet);
}
.links a { display: block; font-weight: 600; }
`;

/** An HTML page of text, without scripts. `main`: HTML. */
export const plainPage = (title: string, main: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${LOGO_PATH}">
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
