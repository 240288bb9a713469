"""The pool as a schema.org data set, for data search engines."""

from __future__ import annotations

from survey.literature import Pool
from survey.plurals import plural
from survey.site.markup.downloads import DOWNLOADS


def dataset(pool: Pool, site_url: str) -> dict[str, object]:
    """Return the metadata that the home page embeds and ``data/dataset.jsonld`` extends."""
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": pool.taxonomy.title,
        "description": f"A tagged bibliography: {plural(len(pool), 'entry')} with evidence for every tag, "
        f"as of {pool.day}.",
        "license": "https://creativecommons.org/publicdomain/zero/1.0/",
        "dateModified": pool.last_added.isoformat(),
        "url": site_url,
        "creator": {"@type": "Organization", "name": "The contributors"},
        "distribution": [
            {
                "@type": "DataDownload",
                "contentUrl": f"{site_url}{path}",
                "encodingFormat": download.media,
            }
            for path, download in DOWNLOADS.items()
        ],
    }
